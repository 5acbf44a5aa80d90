export const WALLET_EN = {
  passes: {
    title: 'Passes in phones',
    switch: 'Members can get a card',
    toSwitch: 'Settings of the storefront',
    given: 'Passes given out',
    devices: 'Phones that Apple notifies',
    offered: 'Links to Google Wallet made',
    problems: 'Passes whose last change did not reach all phones',
    refresh: {
      label: 'Bring all up to date',
      title: 'Bring all passes up to date?',
      text: 'Every pass is compared with what it is to show, and the phones of those that differ are notified, in the background. It is for a new name or colour: what else changes is brought to phones by itself.',
      done: 'The passes are brought up to date in the background'
    }
  },
  file: {
    keep: 'Check and keep',
    needed: 'must be a file',
    tooLarge: 'must be a file of at most 50 kB'
  },
  wallets: {
    apple: {
      title: 'Apple Wallet',
      none: 'Not set up: there are no passes for Apple Wallet.',
      set: 'Set up Apple Wallet',
      replace: 'Replace the certificate',
      setTitle: 'What signs passes for Apple Wallet',
      done: 'Apple Wallet is set up',
      remove: {
        label: 'Remove Apple Wallet',
        title: 'Remove what signs passes for Apple Wallet?',
        text: 'No pass for Apple Wallet is given out or updated any more. Passes in phones stay as they are. The key is deleted here: to set it up again you need its file.',
        done: 'Apple Wallet is removed'
      }
    },
    google: {
      title: 'Google Wallet',
      none: 'Not set up: there are no passes for Google Wallet.',
      set: 'Set up Google Wallet',
      replace: 'Replace the key',
      setTitle: 'What signs passes for Google Wallet',
      done: 'Google Wallet is set up',
      remove: {
        label: 'Remove Google Wallet',
        title: 'Remove what signs passes for Google Wallet?',
        text: 'No pass for Google Wallet is given out or updated any more. Erasures of customers do not reach their passes at Google any more: carry out those that are open first. The key is deleted here: to set it up again you need its file.',
        done: 'Google Wallet is removed'
      }
    }
  },
  apple: {
    text: 'All of it is checked before it is kept: the key belongs to the certificate, which is valid and was issued by Apple’s certificate. It is kept encrypted, and never shown again.',
    samePassType: (passType: string) =>
      `Choose a certificate of the same pass type, ${passType}: passes in phones are not updated by another one.`,
    files: {
      certificate: { label: 'Certificate of the pass type', help: 'As PEM, from the developer account at Apple.' },
      key: { label: 'Its private key', help: 'As PEM.' },
      wwdr: { label: 'Apple’s certificate that issued it (WWDR)', help: 'The intermediate certificate, as PEM.' }
    },
    passphrase: 'Passphrase of the key',
    passphraseHelp: 'Only of an encrypted key. It is not kept.',
    passType: 'Pass type',
    team: 'Team',
    ofCertificate: 'Empty: that of the certificate.',
    expires: 'The certificate ends',
    updated: 'Set',
    endsSoon: 'The certificate ends soon. After that phones take no new passes and no updates: replace it before.',
    hasEnded: 'The certificate has ended. Phones take no new passes and no updates: replace it.'
  },
  google: {
    text: 'The service account has to be a user of the issuer in the Google Wallet console who may write its passes. Its key is kept encrypted, and never shown again.',
    issuer: 'Issuer',
    issuerHelp: 'Its number in the Google Wallet console.',
    account: 'Service account',
    key: 'Key of the service account',
    keyHelp: 'The JSON file from Google Cloud.',
    updated: 'Set'
  },
  sales: {
    title: 'Sales',
    text: 'A sale is shown on all passes while it is on; of several, the one that began last. Phones follow when it begins and ends. Themes have all of them in a metafield.',
    none: 'There is no sale.',
    add: 'Add a sale',
    added: 'The sale is added',
    saved: 'The sale is saved',
    sale: 'Sale',
    status: 'Status',
    statuses: { active: 'On', waiting: 'Not within its dates', off: 'Off' } as Record<string, string>,
    name: 'Title',
    says: 'What the pass says',
    saysHelp: 'At most 1000 characters.',
    image: 'Picture',
    imageHelp: 'Its path, for the storefront. Passes do not show it.',
    starts: 'Begins',
    ends: 'Ends',
    atOnce: 'At once',
    never: 'Never',
    startsHelp: (zone: string) => `In the time zone ${zone}. Empty: at once.`,
    endsHelp: (zone: string) => `In the time zone ${zone}. Empty: never.`,
    enabled: 'It takes place',
    enabledHelp: 'Off: it is shown nowhere, whatever its dates are.',
    remove: {
      label: 'Remove',
      title: (name: string) => `Remove ${name}?`,
      text: 'Passes do not show it any more, and it is not kept.',
      done: 'The sale is removed'
    }
  }
}
