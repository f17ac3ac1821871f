// Style sheets are imported for their effect alone; the bundler takes them.
declare module '*.css' {}
declare module '*.css?inline' {
  const css: string
  export default css
}
