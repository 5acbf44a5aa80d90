export { type CustomerTold, customerPayload, type KnownCustomer } from './customer.ts'
export { meetCustomers } from './meet-customers.ts'
export { insertMissingCustomers, type Standing } from './queries.ts'
export { setStandings } from './set-standings.ts'
