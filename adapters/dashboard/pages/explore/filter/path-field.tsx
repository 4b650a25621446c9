import type { ComponentProps } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { FILTER_FIELDS, toPath } from '../../address/paths.ts';
import { seen } from '../../address/written.ts';
import { Combobox } from '../../parts/combobox.tsx';
import type { SeenPaths } from './seen-paths.ts';

interface PathFieldProps extends Omit<ComponentProps<typeof Combobox>, 'options' | 'optionWords'> {
  readonly seenPaths: SeenPaths;
}

/** What a list of paths says while they are not known. */
const READING = 'Reading properties…';

/** A field for a path. It offers the paths that events have, and takes any other one too. */
export function PathField({ seenPaths, ...field }: PathFieldProps) {
  const { properties, isReading } = seenPaths;
  const options = useMemo(
    () => [
      ...FILTER_FIELDS.map((value) => ({ value })),
      ...properties.map(({ path, types }) => ({
        value: path,
        text: seen(path),
        note: Object.keys(types).join(', '),
      })),
    ],
    [properties],
  );
  return (
    <Combobox
      meaningOf={toPath}
      {...field}
      options={options}
      optionWords="paths"
      pending={isReading ? READING : undefined}
    />
  );
}

interface ChosenPathProps extends Omit<PathFieldProps, 'value' | 'onType' | 'onCommit'> {
  /** The path that is chosen; empty for none. */
  readonly path: string;
  readonly onPath: (path: string) => void;
}

/** A field for a path that counts as soon as it is chosen. */
export function ChosenPath({ path, onPath, ...field }: ChosenPathProps) {
  const [typed, setTyped] = useState(path);
  // The field stays when its path changes: the focus would leave it while Enter is down, which Firefox then
  // gives to what comes next.
  useEffect(() => setTyped(path), [path]);
  return (
    <PathField
      {...field}
      value={typed}
      onType={setTyped}
      onCommit={(chosen) => {
        setTyped(chosen);
        if (chosen !== path) onPath(chosen);
      }}
    />
  );
}
