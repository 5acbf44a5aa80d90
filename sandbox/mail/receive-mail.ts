import type { Mail } from '#kit/mail'
import type { Platform } from '../http.ts'
import { insertMail } from './mails.ts'

export type Mailbox = {
  /** Whether the store's shop is here. */
  hasShop(storeId: number): Promise<boolean>
  /** Takes mail to a customer of a shop that is here; false for another. */
  receive(storeId: number, mail: Mail): Promise<boolean>
}

/** Where mail to customers of the sandbox's shops goes. */
export function createMailbox({ db, shops, clock }: Platform): Mailbox {
  return {
    hasShop: async (storeId) => (await shops.find(storeId)) !== null,
    async receive(storeId, mail) {
      const shop = await shops.find(storeId)
      if (!shop) return false
      await insertMail(db.direct, storeId, mail, await clock(shop.domain))
      return true
    }
  }
}
