/** What the operations of entries begin with that follow transactions of the platform's accounts and gift cards. */
const PREFIX = 'platform-credit:'

/** The operation of the entry that a transaction has caused, by the transaction's key. */
export const operationOf = (key: string): string => `${PREFIX}${key}`

/** The same operations for PostgreSQL's LIKE. */
export const ACCOUNT_OPERATIONS = `${PREFIX}%`
