/** Where the values of a path are looked up. */
export interface PlannedPath {
  /** The path as filters name it; `eventTs` stands for the order of events. */
  readonly path: string;
  /**
   * The source: a column of values, the order of time, hashes of ids, or the events themselves, which every
   * query reads again. Before there is an order: the store's own index by time, and the events that it names.
   */
  readonly from: 'column' | 'order' | 'hashes' | 'events' | 'index';
  /** How many events the source contains already; the query reads the others. */
  readonly read: number;
}

/** How a store will answer a query. */
export type AnswerPlan =
  | {
      /** Answered from the column index. */
      readonly by: 'columns';
      /** How many events the tenant has. */
      readonly events: number;
      /** Where each path of the query is looked up. */
      readonly paths: readonly PlannedPath[];
    }
  | {
      /** Answered by the store's own means, about which nothing is known here. */
      readonly by: 'store';
    };
