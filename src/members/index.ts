export { type CustomerTold, customerPayload, type KnownCustomer } from './customer.ts'
export { meetCustomers } from './meet-customers.ts'
export { insertMissingCustomers, listCustomers, type Standing } from './queries.ts'
export { setStandings } from './set-standings.ts'
