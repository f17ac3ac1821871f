-- Why a sentence of a talk was not put into a language, and what a host put in place of a translation, with the words it stands for.
ALTER TABLE translations ADD COLUMN why {text};
ALTER TABLE translations ADD COLUMN original {text};
