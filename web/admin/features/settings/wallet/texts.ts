import { areaTexts } from '../../../shared/texts/area-texts.ts'
import { WALLET_DE } from './texts-de.ts'
import { WALLET_EN } from './texts-en.ts'

export const useWalletTexts = areaTexts({ en: WALLET_EN, de: WALLET_DE })
