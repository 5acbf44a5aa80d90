import type { Edit, Saboteur } from './saboteur.ts'

const VERIFY = 'src/platform/inbound/verify-proxy-query.ts'

const without = (failsWith: string, edit: Edit): Saboteur => ({
  trial: 'proxy-requests',
  run: ['trials/run.ts', 'proxy-requests', '7', '--rounds', '600'],
  trialThen: { failsWith },
  edits: [edit]
})

export const proxyRequestsSaboteurs: Record<string, Saboteur> = {
  'the signature of the proxy is not compared': without('another prefix than signed', {
    file: VERIFY,
    from: "if (!equalInConstantTime(single('signature'), expected))",
    to: 'if (!equalInConstantTime(expected, expected))'
  }),
  'a parameter of the proxy may come twice': without(' twice: shop=', {
    file: VERIFY,
    from: '(parameters.get(key)?.length ?? 0) > 1',
    to: '(parameters.get(key)?.length ?? 0) > 9'
  }),
  'a signed request stays valid for ever': without(' time: shop=', {
    file: VERIFY,
    from: 'if (Math.abs(ageSeconds) > MAX_AGE_SECONDS)',
    to: 'if (Math.abs(ageSeconds) > MAX_AGE_SECONDS * 1e9)'
  }),
  'a signed customer may hold other parameters': without('a customer that holds other parameters', {
    file: VERIFY,
    from: '/^[0-9]{0,20}$/.test(customerId)',
    to: 'customerId.length < 1_000'
  }),
  'a contract of another customer may be cancelled': without('signed rightly by', {
    file: 'src/http/storefront/churn/own-subscription.ts',
    from: 'if (!request.caller && found.customerPlatformId !== customerOf(request).customerId)',
    to: "if (customerOf(request).customerId === '')"
  })
}
