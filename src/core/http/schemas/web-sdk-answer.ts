/** What the SDK expects of an answer to its question for the remote config. */
export interface RemoteConfigAnswer {
  /** The user that asked, if the request named one. */
  readonly userId: string | null;
  /** It is the same as long as the values are the same. */
  readonly snapshotId: string;
  /** The values by their keys. */
  readonly configurations: Readonly<Record<string, string>>;
  /** Whether no later answer completes this one. */
  readonly isFinal: true;
  /** Every user gets the same values, so no segment qualifies. */
  readonly qualifiedSegments: readonly never[];
  /** Nor does any set of rules. */
  readonly qualifiedRuleSets: readonly never[];
  /** When it was answered, in ISO 8601. */
  readonly timestamp: string;
  /** Whether the answer may be older than the last change. */
  readonly isFromCache: false;
}
