import { useTexts } from '../../shared/texts/language.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { useWebhooksTexts } from './texts.ts'

export function Tabs() {
  const { pages } = useTexts()
  const { tabs } = useWebhooksTexts()
  return (
    <PageTabs
      label={pages.webhooks}
      tabs={[
        { path: 'webhooks', name: tabs.endpoints },
        { path: 'webhooks/deliveries', name: tabs.deliveries },
        { path: 'webhooks/signature', name: tabs.signature }
      ]}
    />
  )
}
