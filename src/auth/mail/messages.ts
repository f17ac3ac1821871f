// What the mails say: plain text, one link, who asked for it and what to do if it was somebody else. Names that people chose stand
// in quotation marks and are cut, so that they cannot pass for words of ours.

export interface Message {
  to: string
  subject: string
  text: string
}

interface Linked {
  to: string
  /** The name of this service. */
  title: string
  url: string
}

export function recoveryMail({ to, title, url }: Linked): Message {
  return {
    to,
    subject: `A new password for ${title}`,
    text: paragraphs(
      `Somebody, probably you, asked for a new password for ${to} at ${title}. Choose one here:`,
      url,
      'The link works once, for 30 minutes. All browsers that are signed in are then signed out.',
      'If it was not you, do nothing: your password stays as it is.',
    ),
  }
}

export function invitationMail({ to, title, url, account, from }: Linked & { account: string; from: string }): Message {
  return {
    to,
    subject: `An invitation to ${title}`,
    text: paragraphs(
      `${quoted(from)} invites you to the account ${quoted(account)} at ${title}. Join here:`,
      url,
      `The link works once, for 7 days, for ${to} alone.`,
      'If you do not know the sender, do nothing.',
    ),
  }
}

export function verifyMail({ to, title, url }: Linked): Message {
  return {
    to,
    subject: `Confirm your address for ${title}`,
    text: paragraphs(
      `Somebody, probably you, wants to sign in to ${title} with ${to} from now on. Confirm it here, in the browser you are signed in with:`,
      url,
      'The link works once, for 24 hours, and only for the person who asked.',
      'If it was not you, do nothing: nothing changes.',
    ),
  }
}

/** To the operator. What strangers wrote stands in quotation marks, cut. */
export function reportMail({ to, title, talk, roomUrl, reason, words, sessionId, unverified }: ReportedTalk): Message {
  return {
    to,
    subject: `A talk at ${title} was reported`,
    text: paragraphs(
      `Somebody reported the talk ${quoted(talk)} at ${title}. Their reason: ${reason}.`,
      ...(words === '' ? [] : [quoted(words, wordsMax)]),
      ...(unverified ? ['An agent made it that nobody has claimed.'] : []),
      roomUrl === null ? 'They were in its rehearsal.' : `Its room: ${roomUrl}`,
      `To close it: rostrum session unpublish ${sessionId} --all-accounts\nTo remove it: rostrum session delete ${sessionId} --all-accounts\nTo end an agent: rostrum agent list, then rostrum agent revoke <id>`,
      'All reports: rostrum audit list --action session.reported',
    ),
  }
}

export interface ReportedTalk {
  to: string
  title: string
  talk: string
  roomUrl: string | null
  reason: string
  words: string
  sessionId: string
  unverified: boolean
}

/** To the old address, after the change: whoever took over a browser cannot do it unseen. */
export function addressChangedMail({ to, title }: Omit<Linked, 'url'>): Message {
  return {
    to,
    subject: `Your address at ${title} was changed`,
    text: paragraphs(
      `You no longer sign in to ${title} with ${to}. The new address was confirmed a moment ago.`,
      'If it was not you, tell whoever runs the service at once: they can give you a new password.',
    ),
  }
}

const nameMax = 80
const wordsMax = 1_000

function quoted(name: string, max = nameMax): string {
  const flat = name.replaceAll(/["“”\s]+/g, ' ').trim()
  return `“${flat.length > max ? `${flat.slice(0, max)}...` : flat}”`
}

function paragraphs(...each: readonly string[]): string {
  return `${each.join('\n\n')}\n`
}
