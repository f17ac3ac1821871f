// The deck of the welcome session: the product presents itself, so that the first talk needs no set-up.
import type { Passage } from './content.ts'

export interface WelcomeSlide {
  textContent: string
  /** What the presenter says, as it stands. */
  narration: string
  agentNotes: string
}

export interface WelcomeDeck {
  title: string
  description: string
  language: 'en'
  slides: readonly WelcomeSlide[]
  knowledgeBase: readonly Pick<Passage, 'title' | 'content'>[]
  ctaText: string
  ctaUrl: string
}

const slides: readonly WelcomeSlide[] = [
  {
    textContent: 'Rostrum\nYour deck, presented on your own server',
    narration: 'This is what I do: I give a talk from your deck to whoever opens its link, at any hour, and I stop for questions.',
    agentNotes: '[slow]',
  },
  {
    textContent: 'Stop me at any word\n- Captions say exactly what I say\n- Ask, and I answer at once\n- Then I go on at the same clause',
    narration:
      'A recording cannot be interrupted; I can. Ask while I am speaking, and I stop at the word, answer you, and go on where I was.',
    agentNotes: '[ask: Try it now: ask me whether Rostrum phones home, or what it costs.]',
  },
  {
    textContent:
      'Answers you can check\n- Each one cites a slide or the background\n- What the deck does not say, I do not make up\n- Open questions go to the host',
    narration:
      'Everything I answer comes from the slides or from background that the host has written, and each answer shows its source. Where they say nothing, I say so, and the host gets your question.',
    agentNotes: '',
  },
  {
    textContent:
      'From a deck to a room\n- PDF, PowerPoint, OpenDocument, pictures, Markdown\n- Your words, your notes, or mine\n- Rehearse for free, then share one link',
    narration:
      'To make a talk of your own, drop a deck into the dashboard. I read it as a person would, tell you what I could not read, and let you edit every sentence before anybody hears it.',
    agentNotes: '',
  },
  {
    textContent:
      'For one, for many, for agents\n- A talk of their own for each, or one broadcast for all\n- An HTTP API and an MCP server\n- Leads with consent, signed webhooks',
    narration:
      'People can each have a talk of their own, or all hear one together with a queue of questions. Agents can run all of it through an API, and what happens reaches your systems as signed webhooks.',
    agentNotes: '[ask: What would you want to know before you use it?]',
  },
  {
    textContent:
      'Yours to run\n- Open source, Apache-2.0\n- One command, no key, no network\n- The dashboard and the documentation are on this server',
    narration: 'It is open source and runs on your own machine with one command, without a key and without anybody else watching.',
    agentNotes: '[cta]',
  },
]

const knowledgeBase: readonly Pick<Passage, 'title' | 'content'>[] = [
  {
    title: 'What Rostrum is',
    content:
      'Rostrum is a self-hosted service whose automated presenter gives a talk from your deck in a web room. It narrates the slides, answers questions from them, shows a call to action and captures leads. Hosts use it for sales, teaching, developer relations and onboarding.',
  },
  {
    title: 'Questions',
    content:
      'Attendees can type a question at any time or speak it where the browser allows. The presenter finishes its sentence, or stops at once when asked to, and resumes at the same clause afterwards. Questions it cannot answer are collected for the host.',
  },
  {
    title: 'Citations',
    content:
      'The presenter only quotes: each answer is a fixed sentence around a verbatim piece of a slide or passage, so it cannot make anything up. The citation names the slide or passage and opens it.',
  },
  {
    title: 'Privacy',
    content:
      'Rostrum does not phone home. Your data is sent nowhere: there is no telemetry and no outside service. Contact details are stored only with consent, together with the text agreed to, and can be erased. Agent notes are never shown to attendees, tools or webhooks.',
  },
  {
    title: 'Self-hosting',
    content:
      'You host Rostrum yourself. A single process with SQLite starts in about a second on a laptop and works offline. For a cluster, set DATABASE_URL to a PostgreSQL database and start as many servers as you like; when a server dies, another takes over its talks. Upgrades are a restart.',
  },
  {
    title: 'Webhooks',
    content:
      'Seven event types are delivered as signed webhooks in the Standard Webhooks format: session created, started and completed, attendee joined and left, lead captured and CTA clicked. A failed delivery is retried after 2 minutes and again after 30 minutes. Rehearsals send no webhooks.',
  },
  {
    title: 'MCP and API',
    content:
      'The MCP server is at /mcp and offers eight tools, from create_session to export_leads. The same acts are in the HTTP API under /api/v1, described in OpenAPI. An API key is made in the dashboard settings or with the command rostrum key create.',
  },
  {
    title: 'Price and licence',
    content:
      'Rostrum costs nothing: it is open source under the Apache License 2.0, for commercial use too. There is nothing to sign up for. You pay only for the machine it runs on.',
  },
  {
    title: 'Languages and speech',
    content:
      'The room speaks English, Spanish, French, German, Portuguese, Japanese, Chinese and Arabic. Speech uses the voices of the browser. Captions and a transcript are always there.',
  },
]

/** The deck as `create_session` takes it; its link leads to the documentation of this very server. */
export function welcomeDeck(baseUrl: string): WelcomeDeck {
  return {
    title: 'Rostrum: your deck, presented',
    description: 'A short talk in which Rostrum presents itself. Interrupt it, ask it anything, and see where each answer comes from.',
    language: 'en',
    slides,
    knowledgeBase,
    ctaText: 'Read the documentation',
    ctaUrl: `${baseUrl.replace(/(?<!\/)\/+$/, '')}/docs`,
  }
}
