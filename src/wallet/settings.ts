import { choice, defineSettings, setting, shortText } from '#kit/define-settings'

/** How passes look, and what becomes of them when a membership has ended. */
export const walletSettings = defineSettings('wallet', {
  organization: setting({
    accepts: shortText(1, 60),
    default: 'Membership',
    flag: '--wallet-organization <name>',
    help: 'The name of the shop on [wallet passes](wallet.md). Passes in phones follow with their next change, or at once by `perennial wallet refresh`.'
  }),
  background: setting({
    accepts: choice('black', 'white', 'blue', 'green', 'red', 'purple'),
    default: 'black',
    flag: '--wallet-background <colour>',
    help: 'The colour of wallet passes. Their text is white, or black on white.'
  }),
  ended: setting({
    accepts: choice('keep', 'void'),
    default: 'void',
    flag: '--wallet-ended <what>',
    help: 'What becomes of a wallet pass when the membership has ended: `void` marks it as no longer valid until the membership lives again, `keep` only shows the status.'
  })
})
