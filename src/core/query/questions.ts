import type {
  BreakdownBody,
  CompareBody,
  CountBody,
  ExportBody,
  QueryBody,
  RetentionBody,
  SequenceBody,
  TailBody,
  TopBody,
  UsersBody,
} from './body.ts';

/** The body of each question that has one, by the name of its path. */
export interface QuestionBodies {
  /** A page of events. */
  readonly query: QueryBody;
  /** How many events match. */
  readonly count: CountBody;
  /** The groups of events, and figures of them. */
  readonly breakdown: BreakdownBody;
  /** How far users come in a sequence of steps. */
  readonly sequence: SequenceBody;
  /** Users by what they did. */
  readonly users: UsersBody;
  /** How many users return. */
  readonly retention: RetentionBody;
  /** Where some events differ from the others. */
  readonly compare: CompareBody;
  /** The events with the largest or the smallest numbers. */
  readonly top: TopBody;
  /** Events as they arrive. */
  readonly tail: TailBody;
  /** Every event. */
  readonly export: ExportBody;
}

/** The name of a question that has a body. */
export type QuestionName = keyof QuestionBodies;

/** Which question a body is of. */
export interface QuestionNamed<Name extends QuestionName> {
  /** The name of the question. */
  readonly question: Name;
}

/** The body of an explanation: that of any question, and its name; a query when absent. */
export type ExplainBody =
  | (QueryBody & Partial<QuestionNamed<'query'>>)
  | { readonly [Name in QuestionName]: QuestionBodies[Name] & QuestionNamed<Name> }[QuestionName];
