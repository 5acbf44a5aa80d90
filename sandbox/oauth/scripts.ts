/** What the platform's own script does on the embedded page: it asks the admin around the page for a session token. */
export const BRIDGE = `'use strict'
window.shopify = {
  idToken: () => new Promise((resolve, reject) => {
    if (window.parent === window) return reject(new Error('The page is not in the admin of a shop'))
    const channel = new MessageChannel()
    const late = setTimeout(() => reject(new Error('The admin does not answer')), 10000)
    channel.port1.onmessage = ({ data }) => {
      clearTimeout(late)
      data.token ? resolve(data.token) : reject(new Error('The admin gives no session token'))
    }
    window.parent.postMessage('session-token', '*', [channel.port2])
  })
}
`

/** The admin's side of it. Only the app's own page gets an answer. */
export const EMBEDDER = `'use strict'
const { app, token } = document.currentScript.dataset
addEventListener('message', async ({ origin, data, ports }) => {
  if (origin !== app || data !== 'session-token') return
  try {
    ports[0].postMessage(await (await fetch(token)).json())
  } catch {
    ports[0].postMessage({})
  }
})
`
