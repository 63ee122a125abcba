/** A script for Redis, without comments and indentation: see `.ci/text-files.ts`. */
declare module '*.lua' {
  const text: string;
  export default text;
}

/** A text of SQL, without comments and indentation: see `.ci/text-files.ts`. */
declare module '*.sql' {
  const text: string;
  export default text;
}
