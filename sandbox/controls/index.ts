import type { Platform } from '../http.ts'
import { type Customer, listCustomers } from '../state/customers.ts'
import { cancelOrder } from './cancel-order.ts'
import { changeShop } from './change-shop.ts'
import { countAll, listCharges } from './charges.ts'
import { checkout, settleCheckout } from './checkout.ts'
import { createCustomer } from './create-customer.ts'
import { createShop } from './create-shop.ts'
import { setAccount } from './customers/set-account.ts'
import { setConsent } from './customers/set-consent.ts'
import { setTags } from './customers/set-tags.ts'
import { deleteCustomer } from './delete-customer.ts'
import { deleteShop } from './delete-shop.ts'
import { setAnswerFaults } from './faults/set-answer-faults.ts'
import { setBulkFaults } from './faults/set-bulk-faults.ts'
import { setChargeFaults } from './faults/set-charge-faults.ts'
import { setWebhookFaults } from './faults/set-webhook-faults.ts'
import { importFixtures } from './import-fixtures.ts'
import { join } from './join.ts'
import { mergeCustomers } from './merge-customers.ts'
import { openShop } from './open-shop.ts'
import { placeOrder, previewOrder } from './place-order.ts'
import { dispute, refund } from './refund-and-dispute.ts'
import { revokeCard } from './revoke-card.ts'
import { sendCompliance } from './send-compliance.ts'
import { sendMessage } from './send-message.ts'
import { changeScopes, endToken, setAccess } from './set-access.ts'
import { setCard } from './set-card.ts'
import { setFunctions } from './set-functions.ts'
import { settleChallenge } from './settle-challenge.ts'
import { install, uninstall } from './uninstall.ts'

type Bound<F> = F extends (platform: Platform, ...rest: infer A) => infer R ? (...rest: A) => R : never

/** Actions of the shop's people and customers, for the admin API, the storefront page and tests. */
export type Controls = {
  createShop: Bound<typeof createShop>
  createCustomer: Bound<typeof createCustomer>
  join: Bound<typeof join>
  checkout: Bound<typeof checkout>
  settleCheckout: Bound<typeof settleCheckout>
  setAccount: Bound<typeof setAccount>
  setConsent: Bound<typeof setConsent>
  setTags: Bound<typeof setTags>
  setCard: Bound<typeof setCard>
  order: Bound<typeof placeOrder>
  previewOrder: Bound<typeof previewOrder>
  refund: Bound<typeof refund>
  dispute: Bound<typeof dispute>
  cancelOrder: Bound<typeof cancelOrder>
  settleChallenge: Bound<typeof settleChallenge>
  sendCompliance: Bound<typeof sendCompliance>
  sendMessage: Bound<typeof sendMessage>
  importFixtures: Bound<typeof importFixtures>
  revokeCard: Bound<typeof revokeCard>
  deleteCustomer: Bound<typeof deleteCustomer>
  deleteShop: Bound<typeof deleteShop>
  mergeCustomers: Bound<typeof mergeCustomers>
  changeShop: Bound<typeof changeShop>
  uninstall: Bound<typeof uninstall>
  install: Bound<typeof install>
  setWebhookFaults: Bound<typeof setWebhookFaults>
  setAccess: Bound<typeof setAccess>
  setFunctions: Bound<typeof setFunctions>
  openShop: Bound<typeof openShop>
  endToken: Bound<typeof endToken>
  changeScopes: Bound<typeof changeScopes>
  setAnswerFaults: Bound<typeof setAnswerFaults>
  setBulkFaults: Bound<typeof setBulkFaults>
  setChargeFaults: Bound<typeof setChargeFaults>
  charges: Bound<typeof listCharges>
  counts: Bound<typeof countAll>
  listCustomers(storeId: number, limit?: number): Promise<Customer[]>
}

export function makeControls(platform: Platform): Controls {
  const bind =
    <A extends unknown[], R>(control: (platform: Platform, ...rest: A) => R) =>
    (...rest: A) =>
      control(platform, ...rest)
  return {
    createShop: bind(createShop),
    createCustomer: bind(createCustomer),
    join: bind(join),
    checkout: bind(checkout),
    settleCheckout: bind(settleCheckout),
    setAccount: bind(setAccount),
    setConsent: bind(setConsent),
    setTags: bind(setTags),
    setCard: bind(setCard),
    order: bind(placeOrder),
    previewOrder: bind(previewOrder),
    refund: bind(refund),
    dispute: bind(dispute),
    cancelOrder: bind(cancelOrder),
    settleChallenge: bind(settleChallenge),
    sendCompliance: bind(sendCompliance),
    sendMessage: bind(sendMessage),
    importFixtures: bind(importFixtures),
    revokeCard: bind(revokeCard),
    deleteCustomer: bind(deleteCustomer),
    deleteShop: bind(deleteShop),
    mergeCustomers: bind(mergeCustomers),
    changeShop: bind(changeShop),
    uninstall: bind(uninstall),
    install: bind(install),
    setWebhookFaults: bind(setWebhookFaults),
    setAccess: bind(setAccess),
    setFunctions: bind(setFunctions),
    openShop: bind(openShop),
    endToken: bind(endToken),
    changeScopes: bind(changeScopes),
    setAnswerFaults: bind(setAnswerFaults),
    setBulkFaults: bind(setBulkFaults),
    setChargeFaults: bind(setChargeFaults),
    charges: bind(listCharges),
    counts: bind(countAll),
    listCustomers: (storeId, limit = 50) => listCustomers(platform.db.direct, storeId, limit)
  }
}
