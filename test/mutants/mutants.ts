import { budgetMutants } from './budget-mutants.js';
import { dataMutants } from './data-mutants.js';
import { eventMutants } from './event-mutants.js';
import { eventOrderMutants } from './event-order-mutants.js';
import { httpMutants } from './http-mutants.js';
import { inputMutants } from './input-mutants.js';
import { leaseMutants } from './lease-mutants.js';
import { memoryMutants } from './memory-mutants.js';
import { mountMutants } from './mount-mutants.js';
import type { Mutant } from './mutant.js';
import { orderMutants } from './order-mutants.js';
import { redisInboxMutants } from './redis-inbox-mutants.js';
import { redisMutants } from './redis-mutants.js';
import { rewindMutants } from './rewind-mutants.js';
import { serviceMutants } from './service-mutants.js';
import { storeOrderMutants } from './store-order-mutants.js';
import { timeMutants } from './time-mutants.js';
import { turnMutants } from './turn-mutants.js';
import { wakeMutants } from './wake-mutants.js';
import { workMutants } from './work-mutants.js';

/** Every bug that is planted. */
export const mutants: readonly Mutant[] = [
  ...timeMutants,
  ...inputMutants,
  ...dataMutants,
  ...eventMutants,
  ...httpMutants,
  ...turnMutants,
  ...budgetMutants,
  ...serviceMutants,
  ...leaseMutants,
  ...wakeMutants,
  ...workMutants,
  ...memoryMutants,
  ...redisInboxMutants,
  ...redisMutants,
  ...rewindMutants,
  ...mountMutants,
  ...orderMutants,
  ...eventOrderMutants,
  ...storeOrderMutants,
];
