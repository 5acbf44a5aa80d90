const given = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? ''

/** What the policy of this page demands of style elements that are made at run time. */
export const styleNonce = () => given

// The component that holds the page still behind a dialog looks for it here.
Object.assign(globalThis, { __webpack_nonce__: given })
