export class PostgresEndQueue { constructor(..._: unknown[]) {} }
