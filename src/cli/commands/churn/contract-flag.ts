import { text } from '../../flags.ts'

export const contractText = text(
  "the platform's number of a contract, its global id, or a subscription id such as sub_24"
)
