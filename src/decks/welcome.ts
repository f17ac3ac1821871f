// The deck of the welcome session: the product presents itself, so that the first talk needs no set-up.
import type { Passage } from './content.ts'

export interface WelcomeSlide {
  textContent: string
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
    textContent: 'Rostrum\n- A presenter for your deck, on your own server\n- It gives the talk, answers questions and hands you the leads',
    agentNotes: '[slow]\nKeep the opening calm: the listener may have started this by accident.',
  },
  {
    textContent:
      'Why let a deck present itself?\n- People read a link at midnight and nobody is there to explain it\n- A recording cannot be interrupted\n- A live talk cannot be held at every hour',
    agentNotes: '[pause 1s]',
  },
  {
    textContent:
      'How a talk runs\n- One sentence at a time, with captions that always match\n- Interrupt at any word: it stops, answers and goes on at the same clause\n- Pause, repeat, jump to a slide, or listen at twice the speed',
    agentNotes: '[ask: Try it now: what would you like to know about Rostrum?]',
  },
  {
    textContent:
      'Answers you can check\n- Every answer quotes a slide or a background passage\n- Click a citation to see its source\n- If the deck does not say, the presenter says so and the question goes to you',
    agentNotes: '[emphasise: quotes a slide]',
  },
  {
    textContent:
      'One to one, or one to many\n- Isolated mode: every attendee has a talk of their own\n- Broadcast mode: everyone in step, with a question queue and votes\n- The host can take over at any moment and hand back',
    agentNotes: '',
  },
  {
    textContent:
      'From deck to room in a minute\n- Bring a PDF, a PowerPoint file, images or plain text\n- Speaker notes stay private: they guide the presenter and are shown to nobody\n- Rehearse for free with a synthetic audience, then publish',
    agentNotes: '[fast]',
  },
  {
    textContent:
      'Built for agents too\n- An HTTP API and an MCP server with eight tools\n- Agents register themselves and are claimed by a person\n- Personal agents may question the presenter on behalf of an attendee',
    agentNotes: '',
  },
  {
    textContent:
      'What you learn afterwards\n- Attention and drop-off for every slide\n- Questions that the deck could not answer\n- Leads with recorded consent, sent on as signed webhooks',
    agentNotes: '',
  },
  {
    textContent:
      'Yours to run\n- Open source under Apache-2.0\n- One command on a laptop, one PostgreSQL for a cluster\n- No key, no model and no network needed',
    agentNotes: '[cta]',
  },
  {
    textContent:
      'Start with your own deck\n- Open the dashboard and create a session\n- Read the documentation\n- Or ask me a question now',
    agentNotes: '',
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
