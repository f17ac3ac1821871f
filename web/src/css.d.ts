// Style sheets are imported for their effect alone; the bundler takes them.
declare module '*.css' {}
declare module '*.css?inline' {
  const css: string
  export default css
}

/** Every text of `languages/room` by its tag: the bundler of a talk in one file brings them along. */
declare module 'languages:room' {
  const words: Readonly<Record<'en', import('./ui/words.ts').Messages> & Partial<Record<string, import('./ui/words.ts').Messages>>>
  export default words
}
