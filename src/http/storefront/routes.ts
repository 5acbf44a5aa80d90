// Every route of the storefront, one line each. Their order means nothing: http/openapi sorts the document.
export { cancelContractRoute } from './churn/cancel-contract.ts'
