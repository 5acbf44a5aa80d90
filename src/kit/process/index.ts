export { giveFiles, leaveRoot, RootProblem, type ServiceUser } from './leave-root.ts'
export { serviceUserFor } from './service-user.ts'
