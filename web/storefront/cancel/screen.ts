import { h } from '../shared/dom.ts'

export type Content = {
  title: string
  body?: (Node | string | false | null)[]
  /** Read out as soon as it is set. */
  status?: string | undefined
  actions?: HTMLElement[]
  /** An outcome: it is still there after the dialog is closed. */
  stays?: boolean
}

type Panel = Record<'title' | 'body' | 'status' | 'actions', HTMLElement>

/** Fills a box with the places of a content. */
function panelIn(box: HTMLElement, heading: 'h2' | 'p'): Panel {
  const panel = {
    title: h(heading, { id: heading === 'h2' && 'title', tabindex: -1, part: 'title' }),
    body: h('div', { part: 'body' }),
    status: h('p', { role: 'status', part: 'status' }),
    actions: h('div', { part: 'actions' })
  }
  box.append(...Object.values(panel))
  return panel
}

function fill({ title, body, status, actions }: Panel, content: Content): void {
  title.textContent = content.title
  body.replaceChildren(...(content.body ?? []).filter((one) => one !== null && one !== false))
  body.scrollTop = 0
  status.textContent = content.status ?? ''
  actions.replaceChildren(...(content.actions ?? []))
}

export type Screen = ReturnType<typeof createScreen>

/**
 * Where a flow is shown: in a dialog while that is open, else below the button. Each content begins with its title, which has the focus
 * then, so that a screen reader says where the customer is.
 */
export function createScreen({ close, onClose }: { close: string; onClose: () => void }) {
  const dialog = h('dialog', { part: 'dialog', 'aria-labelledby': 'title' })
  const inline = h('div', { part: 'outcome', hidden: true })
  const panels = { dialog: panelIn(dialog, 'h2'), inline: panelIn(inline, 'p') }
  let shown: Content | null = null

  const closer = () => h('button', { type: 'button', part: 'secondary close', onclick: () => dialog.close() }, close)
  const show = (content: Content | null) => {
    shown = content
    inline.hidden = content === null || dialog.open
    if (!content) return
    const panel = dialog.open ? panels.dialog : panels.inline
    const actions = content.actions ?? (dialog.open ? [closer()] : [])
    fill(panel, { ...content, actions })
    panel.title.focus()
  }
  dialog.addEventListener('close', () => {
    show(shown?.stays ? shown : null)
    onClose()
  })
  return {
    nodes: [inline, dialog],
    open: () => dialog.showModal(),
    /** Ends the flow: no outcome stays. */
    close: () => {
      shown = null
      if (dialog.open) dialog.close()
      else show(null)
    },
    show,
    /** Says something of what is shown, without a change of the focus; below the button where the dialog is closed. */
    say: (status: string) => {
      inline.hidden = dialog.open
      panels[dialog.open ? 'dialog' : 'inline'].status.textContent = status
    }
  }
}
