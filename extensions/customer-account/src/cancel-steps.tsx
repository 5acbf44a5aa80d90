import type { ComponentChildren } from 'preact'
import type { CancellationReason, MatchedOffer } from '../../../sdk/src/storefront-answers.ts'
import { consequences } from '../../../web/storefront/shared/price-lines.ts'
import type { CancelFlow } from './cancel-flow.ts'
import type { AllWords } from './wording.ts'

type Props = { flow: CancelFlow; name: string; words: AllWords; onClose: () => void }

/** The step that the customer is at. */
export function CancelSteps({ flow, name, words: { cancel }, onClose }: Props) {
  const { say } = cancel
  const { state } = flow
  const keep = <s-button onClick={onClose}>{say('keep')}</s-button>
  const anyway = (
    <s-button tone="critical" onClick={() => void flow.cancelAnyway()}>
      {say('cancel')}
    </s-button>
  )
  const closing = <s-button onClick={onClose}>{say('close')}</s-button>
  switch (state.step) {
    case 'closed':
      return null
    case 'reasons':
      return (
        <Step title={say('reasons')} actions={[keep, state.reasons && <Next flow={flow} text={say('next')} />, anyway]}>
          {state.reasons ? (
            <Reasons flow={flow} reasons={state.reasons} words={cancel} />
          ) : (
            <Loading text={say('loading')} />
          )}
        </Step>
      )
    case 'offers':
      return (
        <Step
          title={say('offers')}
          actions={[<s-button onClick={() => void flow.start()}>{say('back')}</s-button>, anyway]}
        >
          {state.failure !== null && <s-banner tone="critical">{`${say('failed')} ${state.failure}`}</s-banner>}
          {state.offers ? (
            state.offers.map((offer) => (
              <Offer
                key={offer.id}
                offer={offer}
                words={cancel}
                isBusy={state.isBusy}
                onAccept={() => void flow.accept(offer)}
              />
            ))
          ) : (
            <Loading text={say('loading')} />
          )}
        </Step>
      )
    case 'confirmation':
      return (
        <Step title={say('confirm')} actions={[keep, anyway]}>
          <s-text type="strong">{name}</s-text>
          <s-paragraph>{say('ending')}</s-paragraph>
        </Step>
      )
    case 'sending':
      return <Loading text={say('loading')} />
    case 'waiting':
      return (
        <Step
          title={say('waiting')}
          actions={[keep, <s-button onClick={() => flow.tryAgain()}>{say('again')}</s-button>]}
        >
          <s-banner tone="warning">{say('retrying')}</s-banner>
        </Step>
      )
    case 'refused':
      return (
        <Step title={say('refused')} actions={[closing]}>
          <s-banner tone="critical">{state.message}</s-banner>
        </Step>
      )
    case 'cancelled':
      return (
        <Step actions={[closing]}>
          <s-banner tone="success">{say('done')}</s-banner>
        </Step>
      )
    case 'kept':
      return (
        <Step title={say('kept')} actions={[closing]}>
          <s-banner tone="success">{say('applied', { offer: state.offer.name })}</s-banner>
        </Step>
      )
  }
}

type StepProps = { title?: string; actions: ComponentChildren[]; children: ComponentChildren }

const Step = ({ title, actions, children }: StepProps) => (
  <s-stack gap="base">
    {title && <s-heading>{title}</s-heading>}
    {children}
    <s-stack direction="inline" gap="small-300">
      {actions}
    </s-stack>
  </s-stack>
)

const Loading = ({ text }: { text: string }) => <s-spinner accessibilityLabel={text} />

const Next = ({ flow, text }: { flow: CancelFlow; text: string }) => (
  <s-button variant="primary" onClick={() => void flow.showOffers()}>
    {text}
  </s-button>
)

type ReasonsProps = { flow: CancelFlow; reasons: CancellationReason[]; words: AllWords['cancel'] }

const Reasons = ({ flow, reasons, words: { say } }: ReasonsProps) => (
  <s-stack gap="base">
    <s-choice-list
      label={say('reasons')}
      labelAccessibilityVisibility="exclusive"
      onChange={(event) => {
        flow.reason = (event.currentTarget as HTMLElementTagNameMap['s-choice-list']).values?.[0] ?? ''
      }}
    >
      {reasons.map(({ alias, title, description }) => (
        <s-choice key={alias} value={alias} defaultSelected={alias === flow.reason}>
          {title}
          {description && <s-text slot="details">{description}</s-text>}
        </s-choice>
      ))}
    </s-choice-list>
    <s-text-area
      label={say('comment')}
      rows={2}
      maxLength={1024}
      defaultValue={flow.comment}
      onInput={(event) => {
        flow.comment = (event.currentTarget as HTMLElementTagNameMap['s-text-area']).value?.trim() ?? ''
      }}
    />
  </s-stack>
)

type OfferProps = { offer: MatchedOffer; words: AllWords['cancel']; isBusy: boolean; onAccept: () => void }

function Offer({ offer, words, isBusy, onAccept }: OfferProps) {
  const text = words.say('accept')
  return (
    <s-box border="base" borderRadius="base" padding="base">
      <s-stack gap="small-300">
        <s-text type="strong">{offer.name}</s-text>
        {offer.description && <s-paragraph>{offer.description}</s-paragraph>}
        {consequences(words, offer).map((line) => (
          <s-text key={line}>{line}</s-text>
        ))}
        <s-button variant="primary" loading={isBusy} accessibilityLabel={`${text}: ${offer.name}`} onClick={onAccept}>
          {text}
        </s-button>
      </s-stack>
    </s-box>
  )
}
