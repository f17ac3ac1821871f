// The presenter's own words (`languages`). Whatever else it says without a model is a verbatim quote (presenter rule: quote, never assert).
import { baseLanguage, fill, type Language, languageOf } from '../platform/languages.ts'

type Said = Language['answers']

export interface Templates extends Omit<
  Said,
  'goto' | 'noSuchSlide' | 'openSlide' | 'takes' | 'left' | 'whoAmI' | 'about' | 'covers' | 'cta' | 'hereOf' | 'otherLanguage'
> {
  whoAmI(title: string): string
  about(title: string): string
  /** Titles of slides, word for word. */
  covers(titles: readonly string[]): string
  goto(slide: number): string
  noSuchSlide(count: number): string
  cta(label: string): string
  openSlide(slide: number): string
  hereOf(slide: number, count: number): string
  takes(minutes: number): string
  left(minutes: number): string
  /** To who asks in another language than the slides'; `tag` is theirs. */
  otherLanguage(tag: string): string
}

/** The templates of a BCP 47 tag; English where nobody has written them. */
export function templatesFor(tag: string): Templates {
  const { answers } = languageOf(tag)
  const titled = (title: string) => fill(answers.quoted, { title })
  return {
    ...answers,
    whoAmI: (title) => fill(answers.whoAmI, { title }),
    about: (title) => fill(answers.about, { title }),
    covers: (titles) => fill(answers.covers, { titles: titles.map(titled).join(answers.comma) }),
    goto: (slide) => fill(answers.goto, { slide }),
    noSuchSlide: (count) => fill(answers.noSuchSlide, { count }),
    cta: (label) => fill(answers.cta, { label }),
    openSlide: (slide) => fill(answers.openSlide, { slide }),
    hereOf: (slide, count) => fill(answers.hereOf, { slide, count }),
    takes: (minutes) => fill(answers.takes, { minutes }),
    left: (minutes) => fill(answers.left, { minutes }),
    otherLanguage: (slides) =>
      fill(answers.otherLanguage, { language: new Intl.DisplayNames([tag], { type: 'language' }).of(baseLanguage(slides)) ?? slides }),
  }
}
