import { useTexts } from '../../shared/texts/language.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { useIntegrationsTexts } from './texts.ts'

export function Tabs() {
  const { pages } = useTexts()
  const { tabs } = useIntegrationsTexts()
  return (
    <PageTabs
      label={pages.integrations}
      tabs={[
        { path: 'integrations', name: tabs.keys },
        { path: 'integrations/platform', name: tabs.platform },
        { path: 'integrations/reward-points', name: tabs.rewardPoints }
      ]}
    />
  )
}
