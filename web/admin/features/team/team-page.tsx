export const TeamPage = () => null
