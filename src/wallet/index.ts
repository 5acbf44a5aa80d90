export type { Campaign } from './campaigns/campaign.ts'
export {
  addCampaign,
  type CampaignInput,
  changeCampaign,
  listCampaigns,
  removeCampaign
} from './campaigns/campaigns.ts'
export { MAX_CAMPAIGNS, saleCampaignsField, saleCampaignsOf } from './campaigns/sale-campaigns-field.ts'
export {
  countPasses,
  listWalletCredentials,
  removeWalletCredentials,
  setAppleCredentials,
  setGoogleCredentials,
  type WalletCredentials
} from './credentials.ts'
export {
  authenticatePass,
  offerApplePass,
  offerGooglePass,
  readPass,
  type SignedPass,
  walletServicePath
} from './passes/offer-pass.ts'
export { listGoogleSerials } from './passes/passes.ts'
export type { WalletUrls } from './passes/push-pass.ts'
export { reassignPasses, refreshAllPasses, voidPassesOfDeleted, walletConsumer } from './passes/refresh-passes.ts'
export { listUpdatedPasses, registerDevice, unregisterDevice } from './passes/registrations.ts'
export { withdrawGooglePasses } from './passes/withdraw-google-passes.ts'
export { campaignNotFound, walletOf } from './refusals.ts'
