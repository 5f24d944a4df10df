-- What is not known about the cost of a run: tokens without a known price, upper bounds. JSON; NULL where all is known.
ALTER TABLE runs ADD COLUMN cost_unknowns TEXT;
-- Whether the run is a step of its parent, which is charged what it uses: it does not count for the day twice.
ALTER TABLE runs ADD COLUMN part_of_parent INTEGER NOT NULL DEFAULT 0;
