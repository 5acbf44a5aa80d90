import type { Edit, Saboteur } from './saboteur.ts'

const RUN = ['trials/run.ts', 'churn-activations', '7', '--rounds', '12']
const LOSSY = ['trials/run.ts', 'churn-activations-lossy', '7', '--rounds', '60']

/** Whoever accepts an offer does not see that of somebody else at once. */
const NO_LOOK: Edit[] = [
  {
    file: 'src/churn/offers/situation.ts',
    from: "  if (s.liveOffer === 'active') return hasActiveOffer()\n  if (s.liveOffer === 'applying') return isBeingApplied()\n",
    to: "  if (s.liveOffer === 'active' && now.epochMilliseconds < 0) return hasActiveOffer()\n  if (s.liveOffer === 'applying' && now.epochMilliseconds < 0) return isBeingApplied()\n"
  }
]
const NO_INDEX: Edit[] = [
  {
    file: 'migrations/0261-churn.sql',
    from: 'create unique index contract_offers_live',
    to: 'create index contract_offers_live'
  }
]

export const churnActivationsSaboteurs: Record<string, Saboteur> = {
  'nobody looks whether a contract has an offer: the index holds': {
    ...{ trial: 'churn-activations', run: RUN, trialThen: 'passes', edits: NO_LOOK }
  },
  'no index holds a contract to one offer: the look under its lock does': {
    ...{ trial: 'churn-activations', run: RUN, trialThen: 'passes', edits: NO_INDEX }
  },
  'nobody looks and no index holds: a contract has two offers': {
    ...{
      trial: 'churn-activations',
      run: RUN,
      trialThen: { failsWith: ': live offers' },
      edits: [...NO_LOOK, ...NO_INDEX]
    }
  },
  'it is answered before the platform has the discount': {
    trial: 'churn-activations',
    run: RUN,
    trialThen: { failsWith: 'answered before the platform has the discount' },
    edits: [
      {
        file: 'src/churn/activation/activate-offer.ts',
        from: 'const given = await giveGrant(connector, { contractId, currency }, grant)',
        to: 'const given = { ok: true, value: { gid: currency + contractId, title: giveGrant.name + connector.profile } } as { ok: true; value: { gid: string; title: string } }'
      }
    ]
  },
  'an edit whose answer is lost is made anew without a look at what is there': {
    trial: 'churn-activations-lossy',
    run: LOSSY,
    trialThen: { failsWith: ': discounts on the platform' },
    edits: [
      {
        file: 'src/platform/contracts/change-contract-grants.ts',
        from: '  if (present) return succeeded(present)\n',
        to: '  if (present && grants.length > 50) return succeeded(present)\n'
      }
    ]
  },
  'what a lost answer may have done there stays': {
    trial: 'churn-activations-lossy',
    run: LOSSY,
    trialThen: { failsWith: ': discounts on the platform' },
    edits: [
      {
        file: 'src/churn/activation/activate-offer.ts',
        from: "  code === 'stale_contract' || outcomeUnknown === true\n",
        to: "  code === 'stale_contract' && outcomeUnknown === true\n"
      },
      {
        file: 'src/churn/activation/take-back.ts',
        from: "if (begun.type === 'discount_price') await revokeGrants(ctx, [begun.grant.id])",
        to: "if (begun.type === 'discount_price' && id < 0) await revokeGrants(ctx, [begun.grant.id])"
      }
    ]
  }
}
