import { relative } from 'node:path';
import ts from 'typescript';
import { root } from './documents.js';
import { entries } from './entries.js';
import { isOurs, publicExportsOf } from './public-exports.js';

/**
 * Types that callers do not write themselves: the library, its stores and its routes pass them to
 * each other, or another SDK declares them.
 */
const passedInside = [
  'adapters/claude-agent/transcript-entry.ts:TranscriptEntry.',
  'adapters/memory/inbox.ts:',
  'adapters/memory/stored-session.ts:',
  'adapters/postgres/prepared-statements.ts:',
  'adapters/redis/mutation.ts:',
  'adapters/redis/redis-session-store.ts:',
  'src/client/client-error.ts:',
  'src/client/client-request.ts:',
  'src/http/route.ts:',
  'src/http/session-handler.ts:',
  'src/endpoints/endpoint.ts:',
  'src/schema/json-schema.ts:',
  'src/schema/schema.ts:',
  'src/service/operation-results.ts:',
  'src/service/session-observer.ts:ObservedOperation.',
  'src/session/event-detail.ts:',
  'src/session/history-slice.ts:',
  'src/session/input-errors.ts:',
  'src/session/session-event.ts:__type.',
  'src/session/session-record.ts:',
  'src/session/session.ts:HistoryEntry.',
  'src/session/session.ts:MessageEntry.',
  'src/session/session.ts:PositionedEntry.',
  'src/session/store-errors.ts:',
  'src/session/with-lease.ts:Fence.',
  'src/session/work-errors.ts:',
  'src/store/session-store.ts:',
];

/**
 * The optional members of arguments that refuse an explicit `undefined`, as file, type and member:
 * `src/service/list-sessions.ts:ListOptions.cursor`.
 */
export const strictMembersOf = (program: ts.Program): readonly string[] => {
  const { checker, exports } = publicExportsOf(entries.keys(), program);
  const found = new Set<string>();
  const seenInputs = new Set<ts.Type>();
  const seenOutputs = new Set<ts.Type>();

  const acceptsUndefined = (type: ts.Type): boolean =>
    (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0 ||
    (type.isUnion() ? type.types : [type]).includes(checker.getUndefinedType());

  const visitMember = (member: ts.Symbol, owner: ts.Type): void => {
    const type = checker.getTypeOfSymbol(member);
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    const isMethod = (member.flags & ts.SymbolFlags.Method) !== 0;
    if (isOptional && !isMethod && !acceptsUndefined(type)) {
      const symbol = owner.aliasSymbol ?? owner.symbol;
      const [declaration] = member.declarations ?? [];
      const file = relative(root, declaration?.getSourceFile().fileName ?? root);
      found.add(`${file}:${symbol.name}.${member.name}`);
    }
    visitInput(type);
  };

  const visitInput = (type: ts.Type): void => {
    if (seenInputs.has(type)) return;
    seenInputs.add(type);
    if (type.isUnionOrIntersection()) type.types.forEach(visitInput);
    const constraint = type.isTypeParameter() ? type.getConstraint() : undefined;
    if (constraint !== undefined) visitInput(constraint);
    if ((type.flags & ts.TypeFlags.Object) === 0) return;
    for (const { type: item } of checker.getIndexInfosOfType(type)) visitInput(item);
    for (const member of type.getProperties())
      if (member.declarations?.every(isOurs)) visitMember(member, type);
  };

  const visitSignatures = (type: ts.Type): void => {
    const signatures = [...type.getCallSignatures(), ...type.getConstructSignatures()];
    for (const signature of signatures) {
      for (const parameter of signature.getParameters())
        visitInput(checker.getTypeOfSymbol(parameter));
      visitOutput(signature.getReturnType());
    }
  };

  /** What callers get has methods, which take arguments. */
  const visitOutput = (type: ts.Type): void => {
    if (seenOutputs.has(type)) return;
    seenOutputs.add(type);
    if (type.isUnionOrIntersection()) type.types.forEach(visitOutput);
    if ((type.flags & ts.TypeFlags.Object) === 0) return;
    visitSignatures(type);
    for (const member of type.getProperties())
      if (member.declarations?.every(isOurs)) visitOutput(checker.getTypeOfSymbol(member));
  };

  for (const { symbol } of exports)
    if ((symbol.flags & ts.SymbolFlags.Value) !== 0) visitOutput(checker.getTypeOfSymbol(symbol));
  return [...found].filter((name) => !passedInside.some((inside) => name.startsWith(inside)));
};
