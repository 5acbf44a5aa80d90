import { KEPT_MAILS, type SentMail } from '../mail/mails.ts'
import type { Shop } from '../shop.ts'
import { type Html, html } from './html.ts'
import { moment } from './layout.ts'

/** What the app has mailed to customers of the shop, newest first: as text, with a link to its HTML. */
export function mailPage(shop: Shop, basePath: string, mails: SentMail[]): Html {
  return html`<h1>Mail to customers</h1>
  <p class="soft">Mail of this test store is sent to nobody: it is here. The last ${KEPT_MAILS} are kept.</p>
  ${mails.length === 0 && html`<p>No mail was sent yet.</p>`}
  ${mails.map(
    (mail) => html`<article class="card" aria-labelledby="mail-${mail.id}">
    <h2 id="mail-${mail.id}">${mail.subject}</h2>
    <dl>
      <dt>From</dt><dd>${mail.senderName}</dd>
      <dt>To</dt><dd>${mail.sentTo}</dd>
      <dt>Sent</dt><dd><time datetime="${mail.sentAt.toString()}">${moment(shop, mail.sentAt, 'medium')}</time></dd>
    </dl>
    <pre>${mail.contentText}</pre>
    <p><a href="${basePath}/mail/${mail.id}" aria-describedby="mail-${mail.id}">Show its HTML</a></p>
  </article>`
  )}`
}
