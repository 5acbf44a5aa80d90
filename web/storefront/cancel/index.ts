import { API, type Failure } from '../shared/api.ts'
import { define, h, styleSheet } from '../shared/dom.ts'
import { cancelUntilDone } from './cancel-until-done.ts'
import css from './style.css'

const STYLE = styleSheet(css)

class PerennialCancel extends HTMLElement {
  readonly #again = new EventTarget()
  readonly #status = h('div', { role: 'status', part: 'status' })
  readonly #button = h(
    'button',
    { type: 'button', part: 'button', onclick: () => void this.#cancel() },
    'Cancel membership'
  )

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [STYLE]
    root.append(this.#button, this.#status)
  }

  async #cancel(): Promise<void> {
    this.#button.disabled = true
    const cancellation = { contractId: this.getAttribute('contract-id') ?? '', reason: 'other' }
    try {
      await cancelUntilDone(this.getAttribute('api') ?? API, cancellation, {
        stop: new AbortController().signal,
        again: this.#again,
        onWait: () =>
          this.#status.replaceChildren(
            'Your membership is not cancelled yet, since the service does not answer. We keep trying while this page is open. ',
            h(
              'button',
              { type: 'button', onclick: () => this.#again.dispatchEvent(new Event('again')) },
              'Try again now'
            )
          )
      })
      this.#status.textContent = 'Your membership is cancelled.'
    } catch (err) {
      this.#button.disabled = false
      this.#status.textContent = (err as Failure).message
    }
  }
}

define('perennial-cancel', PerennialCancel)
