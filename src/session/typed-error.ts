/** The fields of every error. */
export interface TypedError<Type extends string = string> {
  /** Distinguishes the errors. */
  readonly type: Type;
  /** What happened, as text for logs. */
  readonly message: string;
}
