export const CreditPage = () => null
