import type { PlatformClient } from '../wire/client.ts'
import type { AdminDocument } from '../wire/document.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { addContractGrant, findContractGrants, removeContractGrants } from './change-contract-grants.ts'
import { type ChangedContract, type PlatformContract, readChangedContract } from './contract.ts'
import type { FoundContractGrant, FoundContractGrants, NewContractGrant } from './contract-grants.ts'
import { type ContractRequest, createContracts, findContractIdByKey } from './create-contracts.ts'
import {
  ContractActivate,
  ContractCancel,
  ContractExpire,
  ContractFail,
  ContractPause,
  ContractSetNextBillingDate
} from './documents.ts'
import { type ContractEdit, editContract } from './edit-contract.ts'
import {
  type ContractsPage,
  type FoundContracts,
  findContract,
  findContracts,
  findReadableContracts,
  listContracts
} from './find-contracts.ts'
import type { FoundMemberDiscount, MemberDiscount } from './member-discounts.ts'
import { findMemberDiscounts, setMemberDiscounts } from './set-member-discounts.ts'

export type ContractsApi = {
  /** Null when the platform has no such contract. */
  find(id: string): Promise<PlatformResult<PlatformContract | null>>
  /** By id; leaves out contracts that the platform does not have. One that cannot be read is the failure of all. */
  findMany(ids: string[]): Promise<PlatformResult<Map<string, PlatformContract>>>
  /** The same, but returns contracts that exist and cannot be read apart, so that they do not block the others. */
  findReadable(ids: string[]): Promise<PlatformResult<FoundContracts>>
  /** A page of those that changed at `since` or later, in that order; of all, by id, when it is null. */
  listUpdatedSince(since: Temporal.Instant | null, after: string | null): Promise<PlatformResult<ContractsPage>>
  /** One id per request, in the order given and independent of the others. After an unknown outcome see `findIdByKey`. */
  create(requests: ContractRequest[]): Promise<PlatformResult<string>[]>
  /** Tells whether a creation without an answer was executed. Null: the customer has no contract with this key. */
  findIdByKey(customerId: string, key: string): Promise<PlatformResult<string | null>>
  /** Safe to repeat. */
  edit(edit: ContractEdit): Promise<PlatformResult<ChangedContract>>
  /** Our discounts for members on a contract; null when the platform has no such contract. */
  findMemberDiscounts(id: string): Promise<PlatformResult<FoundMemberDiscount[] | null>>
  /** Makes these our discounts on a contract, each once; null when they are so already. Safe to repeat, also at the same time. */
  setMemberDiscounts(id: string, wanted: MemberDiscount[]): Promise<PlatformResult<ChangedContract | null>>
  /** What a contract has of grants, with its status; null when the platform has no such contract. */
  findGrants(id: string): Promise<PlatformResult<FoundContractGrants | null>>
  /** Gives a contract a grant, once: safe to repeat, also at the same time. Returns it as the contract has it then. */
  addGrant(id: string, grant: NewContractGrant): Promise<PlatformResult<FoundContractGrant>>
  /** Takes what a contract has of these grants off it; null when it has none of them. Safe to repeat, also at the same time. */
  removeGrants(id: string, keys: string[]): Promise<PlatformResult<ChangedContract | null>>
  pause(id: string): Promise<PlatformResult<ChangedContract>>
  activate(id: string): Promise<PlatformResult<ChangedContract>>
  cancel(id: string): Promise<PlatformResult<ChangedContract>>
  fail(id: string): Promise<PlatformResult<ChangedContract>>
  expire(id: string): Promise<PlatformResult<ChangedContract>>
  setNextBillingDate(id: string, at: Temporal.Instant): Promise<PlatformResult<ChangedContract>>
}

export function createContractsApi(client: PlatformClient): ContractsApi {
  const change = (document: AdminDocument, id: string, variables: Record<string, string> = {}) =>
    client.mutate(document, { id: client.gid('SubscriptionContract', id), ...variables }, readChangedContract)
  return {
    find: (id) => findContract(client, id),
    findMany: (ids) => findContracts(client, ids),
    findReadable: (ids) => findReadableContracts(client, ids),
    listUpdatedSince: (since, after) => listContracts(client, since, after),
    create: (requests) => createContracts(client, requests),
    findIdByKey: (customerId, key) => findContractIdByKey(client, customerId, key),
    edit: (edit) => editContract(client, edit),
    findMemberDiscounts: (id) => findMemberDiscounts(client, id),
    setMemberDiscounts: (id, wanted) => setMemberDiscounts(client, id, wanted),
    findGrants: (id) => findContractGrants(client, id),
    addGrant: (id, grant) => addContractGrant(client, id, grant),
    removeGrants: (id, keys) => removeContractGrants(client, id, keys),
    pause: (id) => change(ContractPause, id),
    activate: (id) => change(ContractActivate, id),
    cancel: (id) => change(ContractCancel, id),
    fail: (id) => change(ContractFail, id),
    expire: (id) => change(ContractExpire, id),
    setNextBillingDate: (id, at) => change(ContractSetNextBillingDate, id, { date: at.toString() })
  }
}
