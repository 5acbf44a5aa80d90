/**
 * Headers of every response over HTTP, whatever it holds: a browser takes the content for what its type says, and tells no other
 * site from which page a link was followed. `same-origin` and not `no-referrer`: that would hide the origin of our own forms too.
 */
export const SAFE_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' } as const
