export const SandboxPage = () => null
