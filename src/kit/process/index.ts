export { giveFiles, leaveRoot, RootProblem, type ServiceUser } from './leave-root.ts'
export { serviceUserFor } from './service-user.ts'
export {
  asGiven,
  isAddressOrNetwork,
  isNetwork,
  listOf,
  oneOfWords,
  onOrOff,
  origin,
  postgresUrl,
  wholeNumberText
} from './setting-readers.ts'
export { endAfter, stopOnSignals, untilSignal } from './stop-signals.ts'
