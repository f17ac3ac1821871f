// PowerPoint files as a common producer writes them.
import library from 'pptxgenjs'

// Its types are those of its CommonJS form, where the class is a member; what is loaded is the other form.
export const PptxWriter = library as unknown as typeof library.default
