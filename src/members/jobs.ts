// The jobs of this module: each line adds one to the registry.
export { pushCustomerJob } from './push-customers.ts'
