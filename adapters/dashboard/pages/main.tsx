import './styles/app.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { takeKeptTheme } from './theme.ts';

render(<App />, document.body);
// The first questions are on their way now, and nothing is painted yet.
takeKeptTheme();
