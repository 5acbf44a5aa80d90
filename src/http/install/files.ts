import { APP_PATHS } from '#platform'

export const SCRIPT_PATH = `${APP_PATHS.page}/page.js`
export const STYLE_PATH = `${APP_PATHS.page}/page.css`
export const SESSION_PATH = `${APP_PATHS.page}/session`

/** Runs on the embedded page: sends the session token, and shows what came of it. Texts are set as text, never as markup. */
export const SCRIPT = `'use strict'
const at = (id) => document.getElementById(id)
const fill = (list, items) => {
  list.hidden = items.length === 0
  list.replaceChildren(...items)
}
const item = (name, text) => {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
const OPEN = " Open Perennial from the apps in the shop's admin."
const failed = (text) => () => { throw new Error(text) }
const sessionToken = async () => {
  if (!window.shopify) failed("This page is not in the admin of a shop, or the address names no shop there." + OPEN)()
  const late = new Promise((_, reject) => setTimeout(reject, 15000, new Error('The admin did not answer')))
  return Promise.race([window.shopify.idToken(), late]).catch((err) => failed(err.message + '.' + OPEN)())
}
async function connect() {
  const token = await sessionToken()
  const response = await fetch('${SESSION_PATH}', { method: 'POST', headers: { authorization: 'Bearer ' + token } })
    .catch(failed('Perennial does not answer. Open this page again when the service runs.'))
  const body = await response.json()
    .catch(failed('What answers at ' + location.origin + ' is not Perennial (status ' + response.status + '). Look at what is in front of the service.'))
  if (!response.ok) throw new Error(body.error.message)
  const to = '/admin/?' + new URLSearchParams({ embedded: '1', shop: body.domain })
  const isBuilt = (await fetch(to, { method: 'HEAD' })).ok
  // Who opens the app another time came to work.
  if (isBuilt && !body.connected_now && body.missing_scopes.length === 0) return location.replace(to)
  at('open').hidden = !isBuilt
  at('open').href = to
  at('state').textContent = body.connected_now ? 'The shop is connected.' : 'The shop is connected already.'
  fill(at('facts'), [
    item('dt', 'Store'), item('dd', body.name + ' (' + body.id + ')'),
    item('dt', 'Shop'), item('dd', body.domain),
    item('dt', 'Time zone'), item('dd', body.timezone),
    item('dt', 'Currency'), item('dd', body.currency)
  ])
  fill(at('missing'), body.missing_scopes.map(({ scope, without }) => item('li', scope + ' is not granted: ' + without + '.')))
}
connect().catch((err) => {
  at('state').textContent = 'The shop is not connected. ' + err.message
  at('state').dataset.kind = 'problem'
})
`

export const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 1.5rem }
main { max-width: 45rem; margin: auto }
dt { font-weight: 600 }
dd { margin: 0 0 .5rem }
[data-kind=problem] { color: light-dark(#a40000, #ff9c9c) }
`
