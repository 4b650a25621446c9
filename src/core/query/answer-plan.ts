/** Where what a path holds is looked up. */
export interface PlannedPath {
  /** As filters name it; `eventTs` stands for the order of events. */
  readonly path: string;
  /**
   * A column of its values, the order of time, hashes of ids, or the events themselves, which are read at
   * each question.
   */
  readonly from: 'column' | 'order' | 'hashes' | 'events';
  /** How many events are in it already: the others are read when the question comes. */
  readonly read: number;
}

/** How a store will answer a query. */
export type AnswerPlan =
  | {
      /** From the column index. */
      readonly by: 'columns';
      /** How many events the tenant has. */
      readonly events: number;
      /** Where each path of the query is looked up. */
      readonly paths: readonly PlannedPath[];
    }
  | {
      /** By means of the store's own, of which nothing is known here. */
      readonly by: 'store';
    };
