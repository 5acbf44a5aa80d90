import { Type } from 'typebox'
import { CodeId } from '../../shared/credit-code.ts'
import { CustomerParams } from '../store-credits/credit-customer.ts'

/** Names a store credit code of a customer in a path. */
export const CodeParams = Type.Object({ ...CustomerParams.properties, code_id: CodeId })
