import { useNavigate } from 'react-router'
import { api, bodyOf } from '../api/client.ts'
import { useKnownStore } from '../api/stores.ts'
import { useFormats } from '../format/formats.ts'
import { May } from '../session/may.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { useChargeTexts } from './texts.ts'

type Props = { attempt: string; amount: number; currency: string }

/** Charges the cycle of a failed attempt again, and leads to the new one, whose page shows what comes of it. */
export function RetryButton({ attempt, amount, currency }: Props) {
  const { id: store } = useKnownStore()
  const { retry: texts } = useChargeTexts()
  const { money } = useFormats()
  const navigate = useNavigate()
  const retry = async () => {
    const params = { path: { store, attempt } }
    const opened = await bodyOf(api.POST('/stores/{store}/billing-attempts/{attempt}/retry', { params, body: {} }))
    await navigate(`/stores/${store}/billing/${opened.id}`)
  }
  return (
    <May permission="support">
      <div>
        <ConfirmButton {...texts} text={texts.text(money(amount, currency))} change={retry} />
      </div>
    </May>
  )
}
