// What the page of a room takes from its address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utmIn } from './boot.ts'

test('the address of the room says where somebody came from, cut where it is long', () => {
  assert.deepEqual(utmIn('?utm_source=news&utm_medium=mail&utm_campaign=autumn&utm_term=pumps&utm_content=top&x=1'), {
    source: 'news',
    medium: 'mail',
    campaign: 'autumn',
    term: 'pumps',
    content: 'top',
  })
  assert.deepEqual(utmIn('?source=partner%20page'), { source: 'partner page' })
  assert.equal(utmIn('?embed=1&utm_source='), undefined)
  assert.equal(utmIn(`?utm_source=${'a'.repeat(300)}`)?.source?.length, 100)
})
