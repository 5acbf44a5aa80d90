import { areaTexts } from '../../shared/texts/area-texts.ts'

export const useIntegrationsTexts = areaTexts({
  en: { tabs: { keys: 'API keys', platform: 'Platform and app proxy', rewardPoints: 'Reward points' } },
  de: { tabs: { keys: 'API-Schlüssel', platform: 'Plattform und App-Proxy', rewardPoints: 'Bonuspunkte' } }
})
