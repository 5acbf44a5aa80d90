export const PrivacyPage = () => null
