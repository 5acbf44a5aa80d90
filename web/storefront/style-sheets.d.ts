/** The build makes a style sheet its text. */
declare module '*.css' {
  const text: string
  export default text
}
