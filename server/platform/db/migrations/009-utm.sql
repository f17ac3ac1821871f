-- Which link an attendee came by, and so the lead that they left: JSON (`contract/fields.ts`).
ALTER TABLE attendees ADD COLUMN utm {text};
ALTER TABLE leads ADD COLUMN utm {text};
